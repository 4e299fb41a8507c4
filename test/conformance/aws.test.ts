import { awsSubject, openAws } from './aws-harness.ts';
import { conformance } from './conformance.ts';

conformance('aws', awsSubject, () => openAws());
