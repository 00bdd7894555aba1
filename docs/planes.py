"""Encoders of positions as planes, the same as the program's; docs/pytorch.md describes them."""

EMPTY, BLACK, WHITE = 0, 1, 2


def common(boards, black):
    """boards: the board after 0, 1, 2, ... moves, each a list of width*height colours; black: Black is to move."""
    own = BLACK if black else WHITE
    stones = [[float(v == c) for v in boards[-1]] for c in (own, BLACK + WHITE - own, EMPTY)]
    return stones, lambda points: [float(p in points) for p in range(len(boards[-1]))], lambda v: [float(v)] * len(boards[-1])


def mini7(boards, moves, black, legal):
    """moves: points from 0 on, None for a pass; legal: the points that may be played on."""
    stones, at, all_points = common(boards, black)
    last, before = ([None, None] + moves)[:-3:-1]
    return stones + [at({last}), at({before}), at(set(legal)), all_points(black)]


def agz17(boards, black, split=False):
    """split: first all planes of the side to move, then all of the opponent."""
    own = BLACK if black else WHITE
    past = boards[:-9:-1] + [[EMPTY] * len(boards[-1])] * max(0, 8 - len(boards))
    mine, other = ([[float(v == c) for v in board] for board in past] for c in (own, BLACK + WHITE - own))
    pairs = mine + other if split else [plane for pair in zip(mine, other) for plane in pair]
    return pairs + [[float(black)] * len(boards[-1])]


def liberties(board, width, point):
    chain, todo, free = {point}, [point], set()
    while todo:
        p = todo.pop()
        x = p % width
        for q in [p - width, p + width] + [p - 1] * (x > 0) + [p + 1] * (x < width - 1):
            if 0 <= q < len(board) and board[q] == EMPTY:
                free.add(q)
            elif 0 <= q < len(board) and board[q] == board[point] and q not in chain:
                chain.add(q)
                todo.append(q)
    return len(free)


def seed22(boards, moves, black, width, ko, komi, territory):
    """ko: the point that the simple ko rule forbids, or None."""
    stones, at, all_points = common(boards, black)
    board, history = boards[-1], []
    for i in range(1, 9):
        known = i <= len(moves)
        history.append(at({moves[-i]} | {p for p, v in enumerate(boards[-i]) if v != boards[-i - 1][p]} if known else ()))
    free = [min(liberties(board, width, p), 6) if v != EMPTY else 0 for p, v in enumerate(board)]
    chains = [[float(n == k) for n in free] for k in range(1, 7)]
    return stones + history + [at({ko})] + chains + [all_points(not territory), all_points(territory), all_points(komi / 15), all_points(black)]
