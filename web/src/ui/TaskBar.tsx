import { useWorkspace } from '../state/workspace';

/** What is being done, how far it is, and a button to stop it. */
export function TaskBar() {
  const { task, failure } = useWorkspace();
  const now = task.value;
  if (failure.value !== null) {
    return (
      <p class="note note--bad" role="alert">
        {failure.value}
      </p>
    );
  }
  if (!now) return null;
  const percent = now.share === null ? null : Math.round(100 * now.share);
  return (
    <section class="panel task" aria-label="Progress">
      <div class="row row--spread">
        <span aria-live="polite">{now.text}</span>
        <button type="button" class="button button--small" onClick={now.stop}>
          {now.kind === 'learn' ? 'Stop, keep the best so far' : 'Stop'}
        </button>
      </div>
      <div class="progress" role="progressbar" aria-label={now.text} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent ?? undefined}>
        <div class={percent === null ? 'progress__done progress__done--open' : 'progress__done'} style={{ transform: `scaleX(${percent === null ? 0.3 : percent / 100})` }} />
      </div>
    </section>
  );
}
