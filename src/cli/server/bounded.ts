import { Complaint } from '../complaint.ts';

/** All of an answer as text; throws, and reads no further, where it has more bytes than these. */
export async function boundedText({ body }: Pick<Response, 'body'>, mostBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > mostBytes)
      throw new Complaint(`The answer has more than ${mostBytes / 1024 / 1024} MiB.`, {
        next: 'Ask for less at once.',
      });
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}

/** An answer line by line, as it comes, without the line ends; none may have more characters than `most`. */
export async function* linesOf({ body }: Pick<Response, 'body'>, most: number): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body ?? []) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > most) throw new Complaint(`A line of the answer has more than ${most} characters.`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}
