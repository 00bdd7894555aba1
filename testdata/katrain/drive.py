"""Lets KaTrain's own core review a game with an engine and play its AIs.

Usage: drive.py ENGINE MODEL HUMAN_MODEL SGF
"""

import json
import os
import sys
import tempfile
import time

os.environ["KIVY_NO_ARGS"] = "1"
os.environ["KIVY_NO_FILELOG"] = "1"
os.environ["KIVY_LOG_MODE"] = "PYTHON"  # leave standard error alone
os.environ["KIVY_HOME"] = tempfile.mkdtemp()
os.environ["HOME"] = os.environ["KIVY_HOME"]  # where KaTrain keeps its settings

engine_path, model, human_model, record = sys.argv[1:5]
sys.argv = sys.argv[:1]

from katrain.core.ai import game_report, generate_ai_move  # noqa: E402
from katrain.core.base_katrain import KaTrainBase  # noqa: E402
from katrain.core.constants import AI_STRATEGIES, OUTPUT_ERROR  # noqa: E402
from katrain.core.engine import KataGoEngine  # noqa: E402
from katrain.core.game import Game, KaTrainSGF  # noqa: E402

VISITS = int(os.environ.get("VISITS", "12"))
REVIEW_ONLY = "REVIEW_ONLY" in os.environ


class KaTrain(KaTrainBase):
    """KaTrain without a window. What it complains of is kept."""

    def __init__(self):
        self.complaints, self.noticed = [], []
        super().__init__(force_package_config=True, debug_level=0)

    def log(self, message, level=0):
        if level == OUTPUT_ERROR:
            self.complaints.append(str(message))
        elif "received from KataGo" in str(message) and "warning" in str(message):
            self.noticed.append(str(message))

    def __call__(self, message, *args):  # what its window would be told
        self.complaints.append(f"{message} {args}")


def finished(engine, nodes):
    """Waits until all positions are judged; False if the engine died."""
    while not all(n.analysis_complete for n in nodes):
        if not engine.check_alive():
            return False
        time.sleep(0.01)
    return True


def review(katrain, engine):
    began = time.time()
    tree = KaTrainSGF.parse_file(record)
    game = Game(katrain, engine, move_tree=tree, analyze_fast=True)
    nodes = game.root.nodes_in_tree
    alive = finished(engine, nodes)
    took = time.time() - began
    summary, _, losses = game_report(game, thresholds=katrain.config("trainer/eval_thresholds"))
    last = nodes[-1]
    return game, {
        "alive": alive,
        "seconds": took,
        "positions": len(nodes),
        "winrates": [n.winrate for n in nodes],
        "scores": [n.score for n in nodes],
        "ownership": len(last.ownership or []),
        "policy": len(last.policy or []),
        "candidates": min(len(n.candidate_moves) for n in nodes),
        "losses": {player: len(points) for player, points in losses.items()},
        "accuracy": {player: summary[player].get("accuracy") for player in "BW"},
    }


def play(katrain, game, last, name):
    game.set_current_node(last)
    moves, thoughts = [], []
    for _ in range(2):
        move, played = generate_ai_move(game, name, katrain.config(f"ai/{name}") or {})
        moves.append(move.gtp() if move else None)
        thoughts.append(played.ai_thoughts if played else None)
    return {"moves": moves, "thoughts": thoughts}


def main():
    katrain = KaTrain()
    settings = dict(katrain.config("engine"))
    settings.update(katago=engine_path, model=model, humanlike_model=human_model, max_visits=VISITS, fast_visits=max(2, VISITS // 2))
    engine = KataGoEngine(katrain, settings)
    game, result = review(katrain, engine)
    last = game.root
    while last.children:
        last = last.children[0]
    result["ais"] = {name: play(katrain, game, last, name) for name in ([] if REVIEW_ONLY else AI_STRATEGIES)}
    result["alive"] = result["alive"] and engine.check_alive()
    result["complaints"], result["warnings"] = katrain.complaints, katrain.noticed
    engine.shutdown(finish=None)
    print(json.dumps(result))


main()
