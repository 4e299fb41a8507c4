import type { Action, Cause, DeleteReason } from '../action.ts';
import type { FieldChange } from '../diff.ts';

/** What is to be done, why, and what comes next: for people. */
export const sayOf = (action: Action): string => `${whyText(action)}. ${nextText(action)}`;

/** The same of what is held back: its reason says what to do. */
export const heldText = (action: Action, why: string): string => `${whyText(action)}. ${sentence(why)}`;

/** With a capital, and a full stop. */
export function sentence(text: string): string {
  const said = text.trim();
  const whole = said === '' || /[.!?"…]$/.test(said) ? said : `${said}.`;
  return `${whole.slice(0, 1).toUpperCase()}${whole.slice(1)}`;
}

function whyText(action: Action): string {
  switch (action.verb) {
    case 'create':
      return action.cause === 'drift'
        ? 'It stood as it was asked for and is gone'
        : 'It is wanted and does not stand yet';
    case 'update':
      return `${moved(action.cause)}: ${fieldsOf(action.changes)}`;
    case 'replace':
      return `${moved(action.cause)}: ${fieldsOf(action.changes)}, which takes a new one`;
    case 'delete':
      return deleteWords[action.because];
    case 'adopt':
      return 'A document adopts it';
    case 'forget':
      return 'It is gone';
  }
}

const moved = (cause: Cause): string =>
  cause === 'drift' ? 'It was changed on the cloud' : 'It is asked for otherwise';

const deleteWords: Readonly<Record<DeleteReason, string>> = {
  removed: 'Its document is gone',
  changed: 'Its documents no longer state it',
  'scaled-down': 'Fewer replicas are wanted',
  rogue: 'No document states this rule',
  pruned: 'A person chose it to be deleted',
  again: 'It was deleted, and the cloud shows it again',
  withdrawn: 'It was to replace a machine that stays',
  twin: 'A lost answer of the cloud made it twice, and this one holds nothing',
};

/** So many are named. */
const mostFields = 4;

function fieldsOf(changes: readonly FieldChange[]): string {
  const names = changes.map(({ field }) => field);
  const more = names.length - mostFields;
  return `${names.slice(0, mostFields).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function nextText({ verb, cause }: Action): string {
  const does: Readonly<Record<Action['verb'], string>> = {
    create: cause === 'drift' ? 'makes it again' : 'makes it',
    update: cause === 'drift' ? 'sets it back' : 'changes it',
    replace: 'replaces it',
    delete: 'deletes it',
    adopt: 'takes it over',
    forget: 'lets it go',
  };
  return `The next pass ${does[verb]}.`;
}
