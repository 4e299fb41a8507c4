import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { ApiError } from '../api-client.ts';
import { renew } from '../renewal.ts';

interface CommandOptions<Input, Body, Answer> {
  /** Called once for an input, however often that is sent: a body can have a time that passes. Uses nothing but the input. */
  bodyOf(input: Input): Body;
  send(body: Body, key: string): Promise<Answer>;
  /** The first words of the keys of queries whose answers it makes old. */
  readonly outdates: readonly string[];
  onDone(answer: Answer): void;
}

/**
 * A change that a person asks for. If the answer is lost and the person sends the same input again, it has the same body and key, so that
 * Setpoint carries it out once. The console never sends one again by itself.
 */
export function useCommand<Input, Body, Answer>({
  bodyOf,
  send,
  outdates,
  onDone,
}: CommandOptions<Input, Body, Answer>) {
  const queryClient = useQueryClient();
  const last = useRef<{ readonly text: string; readonly key: string; readonly body: Body }>(undefined);
  return useMutation({
    mutationFn: (input: Input) => {
      const text = JSON.stringify(input);
      if (last.current?.text !== text) last.current = { text, key: newKey(), body: bodyOf(input) };
      return send(last.current.body, last.current.key);
    },
    onError: (error) => {
      if (isRefused(error)) last.current = undefined;
    },
    onSuccess: (answer) => {
      last.current = undefined;
      for (const word of outdates) renew(queryClient, [word]);
      onDone(answer);
    },
  });
}

/** Certainly not carried out. A 409 may be of the same request, which still runs. */
const isRefused = (error: unknown): boolean => error instanceof ApiError && [400, 403, 404, 422].includes(error.status);

// why: crypto.randomUUID exists on pages with TLS alone
export const newKey = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
