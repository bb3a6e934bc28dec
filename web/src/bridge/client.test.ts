import { expect, it } from 'vitest';
import { emptyDraft } from '../state/draft';
import { Refusal, type Bridge } from './bridge';
import { client } from './client';

const failure = (kind: string) => new Refusal({ kind, sentence: kind, where: '', advice: '' });

function bridge(call: Bridge['call'], upload: Bridge['upload'] = () => Promise.reject(new Error('not asked'))): Bridge {
  return { call, upload, job: () => Promise.reject(new Error('not asked')) };
}

it('sends a digest once it is known, and the draft again to a server that has forgotten it', async () => {
  const draft = emptyDraft();
  const sent: unknown[] = [];
  let known = true;
  const sees = client(
    bridge(async (_, request) => {
      const { machine } = request as { machine: unknown };
      sent.push(machine);
      if (machine === 'd1' && !known) throw failure('UnknownDigest');
      return {};
    }),
  );
  await sees.call('diagram', { machine: draft });
  sees.remember(draft, 'd1');
  await sees.call('diagram', { machine: draft });
  known = false;
  await sees.call('diagram', { machine: draft });
  expect(sent).toEqual([draft, 'd1', 'd1', draft]);
});

it('uploads a file again to a server that was restarted', async () => {
  const file = new Blob(['1\tab\n']);
  const uploads: Blob[] = [];
  let known = false;
  const sees = client(
    bridge(
      async () => {
        if (!known) throw failure('UnknownUpload');
        return { cases: [] };
      },
      async (blob) => {
        uploads.push(blob);
        known = uploads.length > 1;
        return { upload: 'u', size: blob.size };
      },
    ),
  );
  await sees.upload(file, () => undefined);
  await sees.call('cases', { machine: 'd', sample: { upload: 'u', name: 'x.tsv', reading: {} } });
  expect(uploads).toEqual([file, file]);
});
