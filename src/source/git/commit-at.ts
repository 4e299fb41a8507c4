import { bounds } from './bounds.ts';
import type { Mirror } from './mirror.ts';

/** The commit that a ref or an object of a mirror leads to. */
export async function commitAt({ mirror }: { readonly mirror: Mirror }, ref: string): Promise<string | undefined> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`];
  const end = await mirror.git(args, bounds.local());
  const id = end.stdout.toString('latin1').trim();
  return end.code === 0 && /^[0-9a-f]{40}$/.test(id) ? id : undefined;
}
