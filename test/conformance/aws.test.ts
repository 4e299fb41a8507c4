import { openAws } from './aws-harness.ts';
import { conformance, type NotYet } from './conformance.ts';

const notYet: readonly NotYet[] = [
  {
    law: 'equal machines of a batch leave in one launch',
    kinds: ['instance'],
    why: 'creations with different intents are launched apart',
  },
  {
    law: 'a whole batch fails with its only call, one result for each',
    kinds: ['instance'],
    why: 'creations with different intents are launched apart',
  },
  {
    law: 'a name or block that others took is a conflict, though they copied our mark, and theirs stays as it is',
    kinds: ['group'],
    why: 'a group with a copied mark is taken for our own',
  },
  {
    law: 'a larger disk: the change may be sent again',
    kinds: ['instance'],
    why: 'a volume is modified again though it is as wanted, and EC2 refuses that for hours',
  },
  {
    law: 'another type of disk: the change may be sent again',
    kinds: ['instance'],
    why: 'a volume is modified again though it is as wanted, and EC2 refuses that for hours',
  },
  {
    law: 'what is in use stays, and that is a conflict',
    kinds: ['network'],
    why: 'its gateway and route table are gone before EC2 says that it is in use',
  },
];

conformance('aws', openAws, notYet);
