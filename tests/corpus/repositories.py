# SPDX-License-Identifier: Apache-2.0
"""The tables of this folder, and files of Git repositories by commit and path."""
import csv
import os
import pathlib
import subprocess

FOLDER = pathlib.Path(__file__).resolve().parent
REPOSITORIES, MODELS = FOLDER / "repositories.tsv", FOLDER / "models.tsv"
# Snapshots may lack large objects: those are not asked of the network.
ENVIRONMENT = {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_CEILING_DIRECTORIES": "/"}


def rows(path):
    with open(path, encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def find(folder, repository):
    """Git directory of OWNER/NAME below the folder, bare or of a checkout, or None."""
    owner, name = repository.split("/")
    for place in (f"{owner}+{name}/repo", f"{owner}+{name}", f"{owner}/{name}", f"{owner}-{name}", name):
        for git in (folder / place / ".git", folder / place, folder / (place + ".git")):
            if (git / "objects").is_dir():
                return git
    return None


def git_output(git, *arguments):
    return subprocess.run(["git", f"--git-dir={git}", *arguments], check=True, env=ENVIRONMENT,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE).stdout


def files(git, commit, most_bytes):
    """Paths of model files of the commit with fewer bytes, in order."""
    found = []
    for line in git_output(git, "ls-tree", "-r", "-l", "-z", commit).decode().split("\0"):
        if line:
            facts, path = line.split("\t", 1)
            size = facts.split()[3]
            if path.endswith((".tflite", ".onnx")) and size.isdigit() and int(size) < most_bytes:
                found.append(path)
    return sorted(found)


def content(git, commit, path):
    return git_output(git, "cat-file", "blob", f"{commit}:{path}")
