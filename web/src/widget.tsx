import { effect, signal, untracked } from '@preact/signals';
import { render } from 'preact';
import { messageBridge, type Question, type Reply } from './bridge/messages';
import type { Draft } from './bridge/contract';
import { SCREENS, type Screen } from './router';
import { CutPoint } from './screens/CutPoint';
import { Machine } from './screens/Machine';
import { Step } from './screens/Step';
import { useWorkspace, workspace, WorkspaceProvider } from './state/workspace';
import './style/index.css';
import { themed } from './theme';
import { Choice } from './ui/Choice';

/** What a notebook gives to a widget: anywidget's model. */
interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  send(content: Question): void;
  on(event: string, heard: (value: unknown) => void): void;
  off(event: string, heard: (value: unknown) => void): void;
}

const VIEWS = { machine: Machine, step: Step, cut: CutPoint };
type View = keyof typeof VIEWS;
const TITLES: readonly (readonly [View, string])[] = [
  ['machine', 'Machine'],
  ['step', 'Step'],
  ['cut', 'Cut point'],
];

function Widget() {
  const space = useWorkspace();
  const view = TITLES.find(([name]) => name === space.screen.value)?.[0] ?? 'machine';
  const Shown = VIEWS[view];
  return (
    <div class="stack widget">
      <div class="row row--spread">
        <Choice label="Screen" value={view} options={TITLES} onChange={(name) => (space.screen.value = name)} />
        <span class="row">
          <button type="button" class="button button--small" disabled={!space.past.value.past.length} onClick={() => space.undo()}>
            Undo
          </button>
          <button type="button" class="button button--small" disabled={!space.past.value.future.length} onClick={() => space.redo()}>
            Redo
          </button>
        </span>
      </div>
      {space.notice.value && <p class={space.notice.value.bad ? 'note note--bad' : 'note'}>{space.notice.value.text}</p>}
      <Shown />
    </div>
  );
}

/** Shows the screens Machine, Step and Cut point in a notebook; the draft goes both ways. */
function show({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const bridge = messageBridge(
    (question) => model.send(question),
    (heard) => model.on('msg:custom', (reply) => heard(reply as Reply)),
  );
  const first = SCREENS.find((name) => name === model.get('screen')) ?? 'machine';
  const space = workspace(bridge, signal<Screen>(first));
  space.past.value = { past: [], present: model.get('draft') as Draft, future: [] };
  themed(el);

  const fromKernel = () => {
    const draft = model.get('draft') as Draft;
    if (JSON.stringify(draft) !== JSON.stringify(space.draft.peek())) space.edit(draft);
  };
  model.on('change:draft', fromKernel);
  const toKernel = effect(() => {
    const machine = space.machine.value;
    // A machine that is not the draft any more is an echo of what the kernel has just replaced.
    if (!machine || machine.draft !== space.draft.peek() || JSON.stringify(machine.draft) === JSON.stringify(model.get('draft'))) return;
    // The model tells fromKernel at once, which looks at the draft: that must not make this effect depend on it.
    untracked(() => model.set('draft', machine.draft));
    model.save_changes();
  });
  render(
    <WorkspaceProvider value={space}>
      <Widget />
    </WorkspaceProvider>,
    el,
  );
  return () => {
    toKernel();
    model.off('change:draft', fromKernel);
    render(null, el);
  };
}

export default { render: show };
