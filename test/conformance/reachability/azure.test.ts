import { after } from 'node:test';
import { recorder } from '../../../scripts/demo/recorder.ts';
import { reachability } from './reachability.ts';

const record = await recorder('azure');
after(() => record?.end());

reachability('azure', record);
