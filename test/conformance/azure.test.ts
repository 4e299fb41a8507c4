import { after } from 'node:test';
import { recorder } from '../../scripts/demo/recorder.ts';
import { azureSubject, openAzure } from './azure-harness.ts';
import { conformance } from './conformance.ts';

const record = await recorder('azure');
after(() => record?.end());

conformance(
  'azure',
  azureSubject,
  () => openAzure(record),
  () => openAzure(),
);
