import type { PlacedArrow, PlacedNode, Point } from './layout';

const f = (n: number): string => n.toFixed(1);
const at = (p: Point): string => `${f(p.x)},${f(p.y)}`;

/** The path of an arrow as Graphviz laid it out: cubic pieces and a straight end up to the tip. */
export function splinePath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  let path = `M${at(first)}`;
  for (let i = 0; i + 2 < rest.length; i += 3) {
    path += `C${rest.slice(i, i + 3).map(at).join(' ')}`;
  }
  const left = rest.slice(rest.length - (rest.length % 3));
  return path + left.map((p) => `L${at(p)}`).join('');
}

/** Where the line from the center of a node toward `other` crosses the node's border. */
export function border(node: PlacedNode, other: Point): Point {
  const dx = other.x - node.x;
  const dy = other.y - node.y;
  const rx = node.width / 2 + 2;
  const ry = node.height / 2 + 2;
  const far = Math.hypot(dx / rx, dy / ry);
  return far === 0 ? node : { x: node.x + dx / far, y: node.y + dy / far };
}

export interface Route {
  readonly path: string;
  readonly label: Point | null;
}

/** The arrow between two nodes of which one was dragged: a curve that bends aside, so that an arrow back is seen too. */
export function bentRoute(from: PlacedNode, to: PlacedNode): Route {
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = Math.hypot(dx, dy) || 1;
  const aside = Math.min(40, length * 0.18);
  const bend = { x: middle.x + (dy / length) * aside, y: middle.y - (dx / length) * aside };
  const [start, end] = [border(from, bend), border(to, bend)];
  return {
    path: `M${at(start)}Q${at(bend)} ${at(end)}`,
    label: { x: (middle.x + bend.x) / 2 + (dy / length) * 6, y: (middle.y + bend.y) / 2 - (dx / length) * 6 },
  };
}

const shifted = (point: Point, by: Point): Point => ({ x: point.x + by.x, y: point.y + by.y });

/** The route of an arrow when its nodes were dragged by `fromBy` and `toBy`. */
export function route(arrow: PlacedArrow, from: PlacedNode, to: PlacedNode, fromBy: Point, toBy: Point): Route {
  if (fromBy.x === toBy.x && fromBy.y === toBy.y) {
    return {
      path: splinePath(arrow.spline.map((p) => shifted(p, fromBy))),
      label: arrow.label && shifted(arrow.label, fromBy),
    };
  }
  return bentRoute({ ...from, ...shifted(from, fromBy) }, { ...to, ...shifted(to, toBy) });
}
