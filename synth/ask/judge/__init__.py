"""Rule judges: question, answers and the words of the pages, and nothing else."""
