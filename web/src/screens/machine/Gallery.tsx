import { useState } from 'preact/hooks';
import type { GalleryEntry } from '../../bridge/contract';
import { useAnswer } from '../../state/answer';
import { Dialog } from '../../ui/Dialog';
import { counted } from '../../ui/numbers';

/** The machines of the package's gallery, to choose one. */
export function Gallery({ onClose, onChoose }: { onClose: () => void; onChoose: (entry: GalleryEntry) => void }) {
  const gallery = useAnswer('gallery', {}, []);
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const entries = (gallery.value?.entries ?? []).filter((entry) => `${entry.name} ${entry.sentence}`.toLowerCase().includes(wanted));
  return (
    <Dialog title="Gallery" onClose={onClose}>
      <input class="input" type="search" autofocus placeholder="Find a machine" aria-label="Find a machine" value={text} onInput={(event) => setText(event.currentTarget.value)} />
      <ul class="cards">
        {entries.map((entry) => (
          <li key={entry.name}>
            <button
              type="button"
              class="card"
              onClick={() => {
                onChoose(entry);
                onClose();
              }}
            >
              <strong>{entry.name}</strong>
              <span>{entry.sentence}</span>
              <span class="muted small">
                {counted(entry.draft.states.length, 'state')}, {counted(entry.draft.symbols.length, 'symbol')}{entry.draft.kind === 'generator' ? ', generator' : ''}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {gallery.value && !entries.length && <p class="muted">No machine is called like that.</p>}
    </Dialog>
  );
}
