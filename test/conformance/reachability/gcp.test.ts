import { after } from 'node:test';
import { recorder } from '../../../scripts/demo/recorder.ts';
import { reachability } from './reachability.ts';
import { serviceAccounts } from './service-accounts.ts';

const record = await recorder('gcp');
after(() => record?.end());

reachability('gcp', record);
serviceAccounts(record);
