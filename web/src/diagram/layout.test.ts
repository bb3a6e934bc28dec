import { expect, it } from 'vitest';
import { bentRoute, border, splinePath } from './geometry';
import { layout } from './layout';

const DOT = `digraph { rankdir=LR; node [shape=circle]; start [label="start", shape=plaintext];
  0 [label="<script>alert(1)</script>"]; 1 [label="s2", peripheries=2];
  start -> 0 [style=dashed]; 0 -> 1 [label="1: 1/2"]; 1 -> 1 [label="0: 1/2\\n1: 1"]; }`;

it('places nodes and arrows, and names stay text', async () => {
  const plan = await layout(DOT);
  expect(plan.nodes.map(({ name, lines, double, shape }) => [name, lines, double, shape])).toEqual([
    ['start', ['start'], false, 'none'],
    ['0', ['<script>alert(1)</script>'], false, 'ellipse'],
    ['1', ['s2'], true, 'ellipse'],
  ]);
  expect(plan.arrows.map(({ from, to, lines, dashed }) => [from, to, lines, dashed])).toEqual([
    [0, 1, [], true],
    [1, 2, ['1: 1/2'], false],
    [2, 2, ['0: 1/2', '1: 1'], false],
  ]);
  for (const node of plan.nodes) {
    expect(node.x).toBeGreaterThanOrEqual(0);
    expect(node.y).toBeLessThanOrEqual(plan.height);
  }
});

it('draws splines, and bends the arrows of a dragged node', () => {
  const points = [0, 1, 2, 3].map((x) => ({ x, y: 0 }));
  expect(splinePath([...points, { x: 4, y: 0 }])).toBe('M0.0,0.0C1.0,0.0 2.0,0.0 3.0,0.0L4.0,0.0');
  const node = { name: '0', lines: [], x: 0, y: 0, width: 20, height: 20, shape: 'ellipse', double: false } as const;
  expect(border(node, { x: 100, y: 0 })).toEqual({ x: 12, y: 0 });
  const there = bentRoute(node, { ...node, x: 100 });
  const back = bentRoute({ ...node, x: 100 }, node);
  expect(there.label?.y).toBeLessThan(0);
  expect(there.label?.y).toBeCloseTo(-(back.label?.y ?? 0));
});
