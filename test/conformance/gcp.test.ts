import { after } from 'node:test';
import { recorder } from '../../scripts/demo/recorder.ts';
import { conformance } from './conformance.ts';
import { gcpSubject, openGcp } from './gcp-harness.ts';

const record = await recorder('gcp');
after(() => record?.end());

conformance('gcp', gcpSubject, () => openGcp(record));
