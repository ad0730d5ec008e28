# SPDX-License-Identifier: Apache-2.0
"""A copy of the source tree with faults in it, from which everything is built by the usual CMake targets.

A file is written only when its text changes, so that a second build of the copy is short.
"""
import pathlib
import subprocess


def tree_files(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, check=True).stdout
    return [name for name in listed.decode().split("\0") if name and (root / name).is_file()]


def write(path, data):
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def copy_tree(root, out, changed):
    """Copies the tree; `changed` maps names to the text that takes their place."""
    files = tree_files(root)
    for name in files:
        data = changed[name].encode() if name in changed else (root / name).read_bytes()
        write(out / name, data)
        (out / name).chmod((root / name).stat().st_mode)
    for path in list(out.rglob("*")):
        relative = path.relative_to(out).as_posix()
        if path.is_file() and not relative.startswith("build/") and relative not in set(files) | set(changed):
            path.unlink()
    for name in set(changed) - set(files):
        write(out / name, changed[name].encode())


def build(out, targets, jobs):
    folder = out / "build"
    if not (folder / "build.ninja").exists():
        run(["cmake", "-S", str(out), "-B", str(folder), "-G", "Ninja"])
    run(["ninja", "-C", str(folder), f"-j{jobs}", *targets])


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n" + done.stdout[-6000:])


def find_root():
    return pathlib.Path(__file__).resolve().parents[2]
