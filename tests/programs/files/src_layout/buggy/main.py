import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "src"))

from pacing.trainer import Trainer

if __name__ == "__main__":
    Trainer(levels=3).run(steps=2)
