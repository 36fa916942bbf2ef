"""What the files of both probes say of the machine, and the options that both take."""
import argparse
import datetime
import json
import platform
import subprocess

import torch

text = json.dumps


def today():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def software(*more):
    driver = subprocess.run(["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"], capture_output=True,
                            text=True, check=False).stdout.strip()
    return ["software:", f"  pytorch: {text(torch.__version__)}", f"  cuda: {text(torch.version.cuda)}", *more,
            f"  driver: {text(driver)}", f"  kernel: {text(platform.system() + ' ' + platform.release())}"]


def parse_options(description, output, seconds):
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument("--name", default=platform.node(), help="what this machine is called in the file")
    parser.add_argument("--output", default=output, help="the measurement file")
    parser.add_argument("--seconds", type=float, default=seconds, help="ends after these, with what it has")
    return parser.parse_args()
