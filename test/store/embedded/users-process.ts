// A process that registers itself, and on a message takes the lock and never lets it go.
import { withUsers } from '../../../src/store/embedded/embedded.ts';

const [file = ''] = process.argv.slice(2);
await withUsers(file, async (users) => users.add());
process.on('message', () => {
  void withUsers(file, () => {
    process.send?.('holding');
    return new Promise(() => {});
  });
});
process.send?.('registered');
