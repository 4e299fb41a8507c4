import type { Accounts, Caller, Identity } from '../ec2/accounts.ts';
import { ACTIONS } from '../ec2/actions/index.ts';
import { decode } from '../ec2/query.ts';
import { type Element, readAnswer } from '../ec2/xml.ts';
import type { Call } from '../protocol.ts';
import { hexDigits, type Random } from '../random.ts';
import type { EventSender, Source, Verdict, Written } from './delivery.ts';
import type { AwsDestination } from './destination.ts';
import { requesterOf } from './requester.ts';

interface Trail {
  readonly accounts: Accounts;
  readonly random: Random;
}

/** CloudTrail's events on the default event bus: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-service-event-cloudtrail.html */
export function eventBridge({ accounts, random }: Trail): Source {
  return async function* (written) {
    const { call, time } = written;
    yield {
      version: '0',
      id: guid(random),
      'detail-type': 'AWS API Call via CloudTrail',
      source: 'aws.ec2',
      account: call.account,
      time: eventTime(time),
      region: call.region,
      resources: [],
      detail: cloudTrailRecord(written, accounts.caller(written.request), guid(random)),
    };
  };
}

function guid(random: Random): string {
  const digits = hexDigits(random, 32);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-${digits.slice(12, 16)}-${digits.slice(16, 20)}-${digits.slice(20)}`;
}

/** https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html, authorised by an API key of its connection. */
export function apiDestination({ apiKey, header = 'x-api-key' }: AwsDestination): EventSender {
  return {
    post: (event) => ({
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Amazon/EventBridge/ApiDestinations',
        [header]: apiKey,
      },
      body: JSON.stringify(event),
    }),
    verdict,
  };
}

/** "401, 407, 409, 429, and 5xx" are retried: https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-api-destinations.html */
function verdict(status: number): Verdict {
  if (status >= 200 && status < 300) return 'taken';
  return status >= 500 || [401, 407, 409, 429].includes(status) ? 'again' : 'refused';
}

/** https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference-record-contents.html */
function cloudTrailRecord(written: Written, caller: Caller, eventID: string): object {
  const { call, request, requestId, response, time } = written;
  const { ip, agent } = requesterOf(request);
  return {
    eventVersion: '1.09',
    userIdentity: userIdentity(caller),
    eventTime: eventTime(time),
    eventSource: 'ec2.amazonaws.com',
    eventName: call.action,
    awsRegion: call.region,
    sourceIPAddress: ip,
    userAgent: agent,
    requestParameters: requestParameters(call),
    responseElements: responseElements(call.action, response.body),
    requestID: requestId,
    eventID,
    readOnly: false,
    eventType: 'AwsApiCall',
    managementEvent: true,
    recipientAccountId: call.account,
    eventCategory: 'Management',
  };
}

/** https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-event-reference-user-identity.html */
function userIdentity({ account, accessKeyId, arn, userId }: Identity): object {
  const common = { principalId: userId, arn, accountId: account, accessKeyId };
  const role = /^arn:aws:sts::\d+:assumed-role\/([^/]+)\//.exec(arn)?.[1];
  if (role === undefined) return { type: 'IAMUser', ...common, userName: arn.slice(arn.lastIndexOf('/') + 1) };
  const issuer = {
    type: 'Role',
    principalId: userId.split(':')[0],
    arn: `arn:aws:iam::${account}:role/${role}`,
    accountId: account,
    userName: role,
  };
  return {
    type: 'AssumedRole',
    ...common,
    sessionContext: { sessionIssuer: issuer, attributes: { mfaAuthenticated: 'false' } },
  };
}

type Json = Readonly<Record<string, unknown>>;

/** The request's parameters, as CloudTrail writes them. */
function requestParameters({ action, params }: Call): object {
  const fields = ACTIONS.get(action)?.fields;
  const { DryRun: _, ...asked }: Json = fields ? decode(params, fields) : params;
  const row = RECORDS[action] ?? {};
  return row.wrapped ? { [`${action}Request`]: wrapped(asked) } : gathered(camelled(hidden(asked, row)), row);
}

function hidden(asked: Json, { removed = [] }: RecordRow): Json {
  const gone = removed.filter((name) => asked[name] !== undefined).map((name) => [name, '<sensitiveDataRemoved>']);
  return { ...asked, ...Object.fromEntries(gone) };
}

function gathered(told: Json, { together }: RecordRow): Json {
  if (!together) return told;
  const names = new Set(together.names.map(camel));
  const entries = Object.entries(told);
  return {
    [together.set]: { items: [Object.fromEntries(entries.filter(([name]) => names.has(name)))] },
    ...Object.fromEntries(entries.filter(([name]) => !names.has(name))),
  };
}

function camelled(asked: Json, parent = ''): Json {
  return Object.fromEntries(
    Object.entries(asked).map(([name, value]) => {
      if (!Array.isArray(value)) return [camel(name), isJson(value) ? camelled(value, name) : value];
      const row = SETS[`${parent}.${name}`] ?? SETS[name] ?? { name: camel(name) };
      return [row.name, setOf(value, name, row)];
    }),
  );
}

function setOf(values: readonly unknown[], name: string, row: SetRow): object {
  const empty = (row.always ?? []).map((each) => [each, {}]);
  const items = values.map((value) =>
    isJson(value) ? { ...Object.fromEntries(empty), ...camelled(value, name) } : { [row.item ?? camel(name)]: value },
  );
  if (row.plain) return items;
  return items.length > 0 ? { items } : {};
}

/** As the newer actions have it: names of the wire, each item with its `tag`, and one alone is no list. */
function wrapped(asked: Json): Json {
  return Object.fromEntries(
    Object.entries(asked).map(([name, value]) => {
      if (!Array.isArray(value)) return [name, isJson(value) ? wrapped(value) : value];
      const items = value.map((item, index) => ({
        ...(isJson(item) ? wrapped(item) : { content: item }),
        tag: index + 1,
      }));
      return [name, items.length === 1 ? items[0] : items];
    }),
  );
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function camel(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** EC2's answer, as CloudTrail writes it: `items` for a set, `{}` for an empty one, times in milliseconds. */
function responseElements(action: string, xml: string): object {
  const { inner } = readAnswer(xml);
  if (!RECORDS[action]?.wrapped) return objectOf(inner, { times: true, return: '_return' });
  const xmlns = 'http://ec2.amazonaws.com/doc/2016-11-15/';
  return { [`${action}Response`]: { xmlns, ...objectOf(inner, { times: false, return: 'return' }) } };
}

interface RecordStyle {
  readonly times: boolean;
  readonly return: string;
}

function objectOf(elements: readonly Element[], style: RecordStyle): object {
  const entries = elements.map((element) => [
    element.name === 'return' ? style.return : element.name,
    jsonOf(element, style),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function jsonOf({ name, inner, text }: Element, style: RecordStyle): unknown {
  if (inner.some((each) => each.name === 'item')) return { items: inner.map((item) => itemOf(item, style)) };
  if (inner.length > 0) return objectOf(inner, style);
  if (text === '' && name !== 'value') return /(?:Set|Mapping|Egress|s)$/.test(name) ? {} : undefined;
  if (FLAGS.has(name)) return text === 'true';
  if (INTEGERS.has(name) && /^-?\d+$/.test(text)) return Number(text);
  return style.times && TIMES.has(name) ? Date.parse(text) : text;
}

function itemOf({ inner, text }: Element, style: RecordStyle): unknown {
  return inner.length > 0 ? objectOf(inner, style) : text;
}

const FLAGS: ReadonlySet<string> = new Set([
  'assignIpv6AddressOnCreation',
  'defaultForAz',
  'deleteOnTermination',
  'ebsOptimized',
  'enableDns64',
  'enableResourceNameDnsAAAARecord',
  'enableResourceNameDnsARecord',
  'enaSupport',
  'encrypted',
  'ipv6Native',
  'isDefault',
  'isEgress',
  'main',
  'mapCustomerOwnedIpOnLaunch',
  'mapPublicIpOnLaunch',
  'originalMultiAttachEnabled',
  'primary',
  'return',
  'sourceDestCheck',
  'targetMultiAttachEnabled',
]);

const INTEGERS: ReadonlySet<string> = new Set([
  'amiLaunchIndex',
  'availableIpAddressCount',
  'code',
  'deviceIndex',
  'fromPort',
  'httpPutResponseHopLimit',
  'networkCardIndex',
  'originalIops',
  'originalSize',
  'originalThroughput',
  'progress',
  'targetIops',
  'targetSize',
  'targetThroughput',
  'toPort',
]);

const TIMES: ReadonlySet<string> = new Set(['attachTime', 'launchTime']);

/** The exceptions of one action from the rule: all names in camelCase, lists by `SETS`. */
interface RecordRow {
  /** Under `<Action>Request` and `<Action>Response`; what was asked keeps the names of the wire. */
  readonly wrapped?: true;
  /** Never told, but that it was there. */
  readonly removed?: readonly string[];
  /** Told as the one item of a set. */
  readonly together?: { readonly set: string; readonly names: readonly string[] };
}

const WRAPPED: RecordRow = { wrapped: true };

/**
 * By action; those that are not here follow the rule. AWS publishes no schema of these, so they are as records look that AWS
 * and others have shown: https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-log-file-examples.html. That
 * user data is removed: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/using-cloudtrail.html.
 */
const RECORDS: Readonly<Record<string, RecordRow>> = {
  RunInstances: {
    removed: ['UserData'],
    together: { set: 'instancesSet', names: ['ImageId', 'MinCount', 'MaxCount', 'KeyName'] },
  },
  ModifyInstanceAttribute: { removed: ['UserData', 'Value'] },
  ModifyVolume: WRAPPED,
  ModifySecurityGroupRules: WRAPPED,
  AssociateIamInstanceProfile: WRAPPED,
  ReplaceIamInstanceProfileAssociation: WRAPPED,
  DisassociateIamInstanceProfile: WRAPPED,
  // An assumption: no record of these was found; actions of their year and later are wrapped.
  UpdateSecurityGroupRuleDescriptionsIngress: WRAPPED,
  UpdateSecurityGroupRuleDescriptionsEgress: WRAPPED,
};

interface SetRow {
  /** The name of the set. */
  readonly name: string;
  /** The name of the one field of each item, where the list is of plain values. */
  readonly item?: string;
  /** A plain array, without `items`. */
  readonly plain?: true;
  /** Sets that each item has, also when they are empty. */
  readonly always?: readonly string[];
}

/** Lists of requests by their wire names, below another field as `Field.List`. A list that is not here keeps its own name. */
const SETS: Readonly<Record<string, SetRow>> = {
  InstanceId: { name: 'instancesSet', item: 'instanceId' },
  ResourceId: { name: 'resourcesSet', item: 'resourceId' },
  Tag: { name: 'tagSet' },
  TagSpecification: { name: 'tagSpecificationSet' },
  'TagSpecification.Tag': { name: 'tags', plain: true },
  GroupId: { name: 'groupSet', item: 'groupId' },
  SecurityGroupId: { name: 'groupSet', item: 'groupId' },
  SecurityGroupRuleId: { name: 'securityGroupRuleIds', item: 'securityGroupRuleId' },
  IpPermissions: { name: 'ipPermissions', always: ['groups', 'ipRanges', 'ipv6Ranges', 'prefixListIds'] },
  NetworkInterface: { name: 'networkInterfaceSet' },
};

/** Events of AWS tell seconds: `2026-01-01T00:00:00Z`. */
function eventTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}
