import { useState } from 'preact/hooks';
import { packed } from '../state/share';
import { useWorkspace } from '../state/workspace';

/** Says that nothing answers, that nothing is lost, and how to go on. */
export function Reconnect() {
  const space = useWorkspace();
  const [address, setAddress] = useState('');
  if (space.connection.value === 'connected') return null;

  const move = async (event: Event) => {
    event.preventDefault();
    try {
      const to = new URL(address.trim());
      to.hash = `/${space.screen.value}?share=${await packed(space.state())}`;
      location.href = to.href;
    } catch {
      space.say('That is not an address. It is the line that cutpoint workbench printed.', true);
    }
  };

  return (
    <section class="shell__banner" role="alert">
      {space.connection.value === 'lost' ? (
        <p>
          <strong>The workbench does not answer.</strong> Everything you typed is kept here. Start <code>cutpoint workbench</code> again; this
          page goes on by itself.
        </p>
      ) : (
        <p>
          <strong>The workbench was started again.</strong> Everything you typed is kept here. Paste the address that it printed, and this page
          moves there with all that is on it.
        </p>
      )}
      <form class="row" onSubmit={(event) => void move(event)}>
        <input class="input" type="url" required aria-label="Address that the workbench printed" placeholder="http://127.0.0.1:…" value={address} onInput={(event) => setAddress(event.currentTarget.value)} />
        <button type="submit" class="button">
          Move
        </button>
        <button type="button" class="button button--quiet" onClick={space.retry}>
          Try again
        </button>
      </form>
    </section>
  );
}
