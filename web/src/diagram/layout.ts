import type { Viz } from '@viz-js/viz';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedNode extends Point {
  readonly name: string;
  readonly lines: readonly string[];
  readonly width: number;
  readonly height: number;
  readonly shape: 'ellipse' | 'box' | 'none';
  /** A double border: a final state. */
  readonly double: boolean;
}

export interface PlacedArrow {
  readonly from: number;
  readonly to: number;
  /** Control points of a cubic spline, with the arrow's tip last. */
  readonly spline: readonly Point[];
  readonly lines: readonly string[];
  readonly label: Point | null;
  readonly dashed: boolean;
}

/** Where Graphviz puts the nodes and arrows of a DOT text; y grows downward. */
export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly arrows: readonly PlacedArrow[];
}

interface Drawing {
  op: string;
  text?: string;
}
interface GraphvizObject {
  name: string;
  pos?: string;
  width?: string;
  height?: string;
  shape?: string;
  peripheries?: string;
  _ldraw_?: Drawing[];
}
interface GraphvizEdge {
  tail: number;
  head: number;
  pos?: string;
  lp?: string;
  style?: string;
  _ldraw_?: Drawing[];
}
interface GraphvizGraph {
  bb: string;
  objects?: GraphvizObject[];
  edges?: GraphvizEdge[];
}

const INCH = 72;

let loading: Promise<Viz> | undefined;

/** Graphviz is large: it is loaded when the first diagram is shown. */
function graphviz(): Promise<Viz> {
  loading ??= import('@viz-js/viz').then(({ instance }) => instance());
  return loading;
}

export async function layout(dot: string): Promise<Layout> {
  const viz = await graphviz();
  return placed(viz.renderJSON(dot) as GraphvizGraph);
}

const numbers = (text: string): number[] => text.split(',').map(Number);
const texts = (drawings: readonly Drawing[] | undefined): string[] =>
  (drawings ?? []).flatMap((drawing) => (drawing.op === 'T' && drawing.text !== undefined ? [drawing.text] : []));

/** Graphviz' JSON as a layout: only numbers and plain text are taken from it. */
export function placed(graph: GraphvizGraph): Layout {
  const [, , width = 0, height = 0] = numbers(graph.bb);
  const point = (text: string): Point => {
    const [x = 0, y = 0] = numbers(text);
    return { x, y: height - y };
  };
  const nodes = (graph.objects ?? []).map((object): PlacedNode => ({
    name: object.name,
    lines: texts(object._ldraw_),
    ...point(object.pos ?? '0,0'),
    width: Number(object.width ?? 0) * INCH,
    height: Number(object.height ?? 0) * INCH,
    shape: object.shape === 'plaintext' || object.shape === 'point' ? 'none' : object.shape === 'box' ? 'box' : 'ellipse',
    double: Number(object.peripheries ?? 1) > 1,
  }));
  const arrows = (graph.edges ?? []).map((edge): PlacedArrow => ({
    from: edge.tail,
    to: edge.head,
    spline: spline(edge.pos ?? '', point),
    lines: texts(edge._ldraw_),
    label: edge.lp === undefined ? null : point(edge.lp),
    dashed: edge.style === 'dashed',
  }));
  return { width, height, nodes, arrows };
}

function spline(pos: string, point: (text: string) => Point): Point[] {
  const parts = pos.split(/\s+/).filter(Boolean);
  const tip = parts.find((part) => part.startsWith('e,'));
  const points = parts.filter((part) => !/^[es],/.test(part)).map(point);
  return tip === undefined ? points : [...points, point(tip.slice(2))];
}
