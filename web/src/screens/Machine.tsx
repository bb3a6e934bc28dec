import { useRef, useState } from 'preact/hooks';
import type { Draft } from '../bridge/contract';
import { emptyDraft, withSymbol } from '../state/draft';
import { useScript, useWorkspace } from '../state/workspace';
import { Plus } from '../ui/icons';
import { Menu } from '../ui/Menu';
import { Gallery } from './machine/Gallery';
import { MachineDiagram } from './machine/MachineDiagram';
import { MakeExact } from './machine/MakeExact';
import { MatrixTable } from './machine/MatrixTable';
import { openMachine } from './machine/open';
import { generalProblems } from './machine/problems';
import { RowEditor } from './machine/RowEditor';
import { StatesTable } from './machine/StatesTable';

/** Up to this many states a matrix is a table. */
const TABLE = 24;

/** Screen: a machine to look at and to edit. */
export function Machine() {
  const space = useWorkspace();
  const [gallery, setGallery] = useState(false);
  const file = useRef<HTMLInputElement>(null);
  const draft = space.draft.value;
  const machine = space.machine.value;

  const open = async (files: File[]) => {
    try {
      const { draft: opened, name } = await openMachine(space.client, files);
      space.take(opened, name);
    } catch (error) {
      space.say(error instanceof Error ? error.message : String(error), true);
    }
  };

  const before = useRef(machine);
  if (machine) before.current = machine;
  // While a row is being typed, the diagram of the machine before stays where it was.
  const drawn = machine ?? (before.current && sameNames(before.current.draft, draft) ? before.current : null);

  useScript('machine', { machine: draft, min_probability: space.least.value });
  return (
    <div
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault();
        void open([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <header class="title machine__title">
        <h1 class="hidden">Machine</h1>
        <input class="machine__name" aria-label="Name of the machine" value={space.name.value} size={Math.max(8, space.name.value.length)} onInput={(event) => (space.name.value = event.currentTarget.value)} />
        <span class="badge">{draft.kind === 'generator' ? 'Generator' : 'Acceptor'}</span>
        {machine && <span class={machine.checked.exact ? 'badge badge--good' : 'badge'}>{machine.checked.exact ? 'exact fractions' : 'decimal numbers'}</span>}
        {machine && !machine.checked.exact && <MakeExact />}
        <div class="row machine__open">
          <button type="button" class="button button--primary" onClick={() => setGallery(true)}>
            Gallery
          </button>
          <button type="button" class="button" onClick={() => file.current?.click()}>
            Open file
          </button>
          <input ref={file} type="file" class="hidden" tabIndex={-1} multiple aria-label="Open file" onChange={(event) => {
            const files = [...(event.currentTarget.files ?? [])];
            event.currentTarget.value = '';
            if (files.length) void open(files);
          }} />
          <Menu
            label="New"
            items={[
              { label: 'New acceptor', onSelect: () => space.take(emptyDraft('acceptor'), 'acceptor') },
              { label: 'New generator', onSelect: () => space.take(emptyDraft('generator'), 'generator') },
            ]}
          >
            New
          </Menu>
        </div>
      </header>
      {gallery && <Gallery onClose={() => setGallery(false)} onChoose={(entry) => space.take(entry.draft, entry.name)} />}
      <div class="columns">
        <div class="stack">
          {generalProblems(space.problems.value).map((problem) => (
            <p key={problem.sentence} class="note note--bad" role="alert">
              {problem.sentence}
            </p>
          ))}
          <StatesTable />
          {draft.states.length > TABLE ? (
            <RowEditor />
          ) : (
            <div class="matrices">
              {draft.symbols.map((_, symbol) => (
                <MatrixTable key={symbol} symbol={symbol} />
              ))}
            </div>
          )}
          <div>
            <button type="button" class="button" onClick={() => space.edit(withSymbol(draft))}>
              <Plus /> Add symbol
            </button>
          </div>
        </div>
        <section class="panel columns__sticky machine__diagram" aria-label="Diagram">
          {drawn && (
            <div class={machine ? 'stack' : 'stack stale'}>
              <MachineDiagram machine={drawn} name={space.name.value} least={space.least} />
            </div>
          )}
          <div class="row row--spread">
            <p class="muted small">{machine ? machine.checked.summary.replace(/^<|>$/g, '') : space.problems.value.length ? 'The diagram follows when every row is right.' : 'One moment…'}</p>
            {space.problems.value.length > 0 && (
              <button type="button" class="button button--small" title="Divide every row by its sum" onClick={() => void space.rewrite({ normalized: true })}>
                Rescale rows
              </button>
            )}
          </div>
        </section>
      </div>
    </div>
  );
}

const sameNames = (a: Draft, b: Draft): boolean => JSON.stringify([a.states, a.symbols]) === JSON.stringify([b.states, b.symbols]);
