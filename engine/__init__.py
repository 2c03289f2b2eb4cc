"""What happens to all documents: lock, plan, pools, runners, commit, seal. Imports schemas, actors, ray."""
