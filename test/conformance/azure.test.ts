import { azureSubject, openAzure } from './azure-harness.ts';
import { conformance } from './conformance.ts';

conformance('azure', azureSubject, openAzure);
