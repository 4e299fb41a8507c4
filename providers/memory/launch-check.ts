import type { Call, LaunchAnswer, LaunchQuestion } from '../../src/ports/provider.ts';
import type { Client } from './client.ts';

/** Images and sizes that the cloud offers; each is asked for once a session. Subnets are never full. */
export function launchCheck(client: Client): (question: LaunchQuestion, call: Call) => Promise<LaunchAnswer> {
  const offered = new Set<string>();
  const ask = async (call: Call, what: 'image' | 'size', name: string): Promise<LaunchAnswer> => {
    if (offered.has(`${what} ${name}`)) return { as: 'possible' };
    const answer = await client.send(call, 'ListOffers', { what, name });
    if (!answer.ok) return { as: 'unknown', failure: answer.failure };
    if (!answer.value) {
      const message = `${what} ${name} does not exist: correct it in the document. ListOffers does not show it.`;
      return { as: 'impossible', failure: { kind: 'terminal', code: 'NotOffered', message } };
    }
    offered.add(`${what} ${name}`);
    return { as: 'possible' };
  };
  return async ({ image, size }, call) => {
    const first: LaunchAnswer = image === undefined ? { as: 'possible' } : await ask(call, 'image', image);
    if (first.as === 'impossible') return first;
    const second = await ask(call, 'size', size);
    return second.as === 'possible' ? first : second;
  };
}
