import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, clients, collect, GROUP, LOCATION, NETWORK, networkBody, outcome, SUBSCRIPTION } from './bench.ts';

const OTHER = '22223333-4444-4555-8666-777788889999';

interface Refused {
  readonly name: string;
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly want: string;
}

const COMPUTE = `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Compute`;

const refusals: readonly Refused[] = [
  { name: 'no token', path: GROUP, headers: { authorization: '' }, want: '401 AuthenticationFailed' },
  { name: 'another scheme', path: GROUP, headers: { authorization: 'Basic YQ==' }, want: '401 AuthenticationFailed' },
  { name: 'no api-version', path: `${GROUP}?api-version=`, want: '400 MissingApiVersionParameter' },
  { name: 'an api-version that is none', path: `${GROUP}?api-version=latest`, want: '400 InvalidApiVersionParameter' },
  { name: 'a preview’s api-version', path: `${GROUP}?api-version=2026-01-01-preview`, want: '200' },
  { name: 'another api-version', path: `${GROUP}?api-version=2021-04-01`, want: '200' },
  { name: 'an unknown subscription', path: `/subscriptions/${OTHER}`, want: '404 SubscriptionNotFound' },
  {
    name: 'an unknown type',
    path: `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Network/foos`,
    want: '404 InvalidResourceType',
  },
  { name: 'a verb that a path does not have', method: 'POST', path: GROUP, want: '405 MethodNotAllowed' },
  { name: 'a group that is not there', path: GROUP.replace('Rg', 'no'), want: '404 ResourceGroupNotFound' },
  {
    name: 'a resource in a group that is not there',
    path: `${NETWORK}/virtualNetworks/v`.replace('Rg', 'no'),
    want: '404 ResourceGroupNotFound',
  },
  { name: 'a resource that is not there', path: `${NETWORK}/virtualNetworks/v`, want: '404 ResourceNotFound' },
  {
    name: 'a child of what is not there',
    path: `${NETWORK}/virtualNetworks/v/subnets/s`,
    want: '404 ResourceNotFound',
  },
  {
    name: 'a child put into what is not there',
    method: 'PUT',
    path: `${NETWORK}/virtualNetworks/v/subnets/s`,
    body: { properties: { addressPrefix: '10.0.0.0/24' } },
    want: '404 ParentResourceNotFound',
  },
  {
    name: 'no location',
    method: 'PUT',
    path: `${NETWORK}/virtualNetworks/v`,
    body: { properties: {} },
    want: '400 LocationRequired',
  },
  {
    name: 'a resource in a location that there is not',
    method: 'PUT',
    path: `${NETWORK}/virtualNetworks/v`,
    body: { ...networkBody(), location: 'westeurop' },
    want: '400 LocationNotAvailableForResourceType',
  },
  {
    name: 'a resource group in a location that there is not',
    method: 'PUT',
    path: GROUP.replace('Rg', 'other'),
    body: { location: 'westeurop' },
    want: '400 LocationNotAvailableForResourceGroup',
  },
  {
    name: 'a list of a location that there is not',
    path: `${COMPUTE}/locations/westeurop/usages`,
    want: '400 NoRegisteredProviderFound',
  },
  {
    name: 'images of a location that there is not',
    path: `${COMPUTE}/locations/westeurop/publishers/p/artifacttypes/vmimage/offers/o/skus/s/versions`,
    want: '400 NoRegisteredProviderFound',
  },
  {
    name: 'a property that there is not',
    method: 'PUT',
    path: `${NETWORK}/virtualNetworks/v`,
    body: { location: LOCATION, properties: { adressSpace: {} } },
    want: '400 InvalidRequestFormat',
  },
  {
    name: 'a name that is none',
    method: 'PUT',
    path: `${NETWORK}/virtualNetworks/-v`,
    body: networkBody(),
    want: '400 InvalidResourceName',
  },
  {
    name: 'a skip token that is none',
    path: `/subscriptions/${SUBSCRIPTION}/resourcegroups?$skiptoken=x`,
    want: '400 InvalidSkipToken',
  },
];

describe('ARM’s front door', () => {
  for (const { name, method = 'GET', path, headers, body, want } of refusals) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench();
      const sent = { ...(headers ? { headers } : {}), ...(body === undefined ? {} : { body }) };
      assert.equal(outcome(await made.send(method, path, sent)), want);
    });
  }

  it('a body that is no JSON is refused', async () => {
    await using made = await bench();
    const response = await fetch(`${made.sandbox.url}${GROUP}?api-version=2025-04-01`, {
      method: 'PUT',
      headers: { authorization: 'Bearer a' },
      body: '{',
    });
    assert.equal(response.status, 400);
    assert.match(await response.text(), /InvalidRequestContent/);
  });

  it('a 401 says how to come back, and the token is nowhere in the log', async () => {
    await using made = await bench();
    const { headers } = await made.send('GET', GROUP, { headers: { authorization: '' } });
    assert.match(headers.get('www-authenticate') ?? '', /^Bearer authorization_uri=/);
    await made.send('GET', GROUP, { headers: { authorization: 'Bearer s3cret' } });
    assert.doesNotMatch(JSON.stringify(made.sandbox.control.log.entries()), /s3cret/);
    assert.doesNotMatch(JSON.stringify(made.sandbox.control.budgets.levels()), /s3cret/);
  });
});

describe('a location that there is not', () => {
  const told = async (path: string, body?: object): Promise<string> => {
    await using made = await bench();
    const answer = await made.send(body === undefined ? 'GET' : 'PUT', path, body === undefined ? {} : { body });
    return answer.body.error.message;
  };
  // https://github.com/Azure/azure-rest-api-specs/pull/8347
  it('of a resource: the regions of its type are named', async () =>
    assert.match(
      await told(`${NETWORK}/virtualNetworks/v`, { ...networkBody(), location: 'West Europ' }),
      /^The provided location 'West Europ' is not available for resource type 'Microsoft\.Network\/virtualNetworks'\. List of available regions for the resource type is '(?:[a-z0-9]+,)*westeurope(?:,[a-z0-9]+)*'\.$/,
    ));
  // https://github.com/cloud-barista/cb-spider/issues/527
  it('of a resource group: the regions are named', async () =>
    assert.match(
      await told(GROUP.replace('Rg', 'other'), { location: 'westeurop' }),
      /^The provided location 'westeurop' is not available for resource group\. List of available regions is '(?:[a-z0-9]+,)*westeurope(?:,[a-z0-9]+)*'\.$/,
    ));
  // https://github.com/Azure/azure-cli/issues/2003
  it('in a path: the API versions and the locations are named', async () =>
    assert.match(
      await told(`${COMPUTE}/locations/westeurop/usages`),
      /^No registered resource provider found for location 'westeurop' and API version '[\d-]+' for type 'locations\/usages'\. The supported api-versions are '[\d, -]+'\. The supported locations are '(?:[a-z0-9]+, )*westeurope(?:, [a-z0-9]+)*'\.$/,
    ));
  it('is none of those that the provider names', async () => {
    await using made = await bench();
    const { resourceTypes = [] } = await made.resources.providers.get('Microsoft.Network');
    const networks = resourceTypes.find(({ resourceType }) => resourceType === 'virtualNetworks');
    const names = new Set(networks?.locations);
    assert.deepEqual(
      [names.has('West Europe'), names.has('Sweden Central'), names.has('West Europ')],
      [true, true, false],
    );
  });
});

describe('a request to ARM', () => {
  it('what is secret in a body is not in the log', async () => {
    await using made = await bench();
    const osProfile = { adminPassword: 's3cret', customData: 's3cret', computerName: 'm' };
    const path = `${GROUP}/providers/Microsoft.Compute/virtualMachines/m`;
    await made.send('PUT', path, { body: { location: LOCATION, properties: { osProfile, userData: 's3cret' } } });
    const [logged] = made.sandbox.control.log.entries();
    assert.doesNotMatch(JSON.stringify(logged), /s3cret/);
    assert.match(logged?.params['body'] ?? '', /"adminPassword":"\(hidden\)".*"computerName":"m"/);
  });

  it('what was asked is in the log', async () => {
    await using made = await bench();
    const headers = { 'if-match': 'W/"x"' };
    await made.send('PUT', `${NETWORK}/virtualNetworks/v`, { body: networkBody(), headers });
    const [logged] = made.sandbox.control.log.entries();
    const { action, account, region, params, mutating, applied, errorCode } = logged ?? {};
    assert.deepEqual(
      { action, account, region, mutating, applied, errorCode },
      {
        action: 'virtualNetworks.createOrUpdate',
        account: SUBSCRIPTION,
        region: LOCATION,
        mutating: true,
        applied: false,
        errorCode: 'PreconditionFailed',
      },
    );
    assert.deepEqual(
      [params?.['path'], params?.['api-version'], params?.['if-match'], JSON.parse(params?.['body'] ?? '')],
      [`${NETWORK}/virtualNetworks/v`, '2026-01-01', 'W/"x"', networkBody()],
    );
  });

  it('subscriptions are apart', async () => {
    await using made = await bench({ arm: { subscriptions: [SUBSCRIPTION, OTHER] } });
    const { resources } = clients(made.sandbox.url, 'dummy', OTHER);
    await resources.resourceGroups.createOrUpdate('elsewhere', { location: LOCATION });
    const names = async (of: typeof resources): Promise<unknown> => {
      const found = await collect(of.resourceGroups.list());
      return found.map(({ name }) => name);
    };
    assert.deepEqual([await names(made.resources), await names(resources)], [['Rg'], ['elsewhere']]);
    made.sandbox.control.faults.add({ match: { times: 1 }, effect: { kind: 'as-account', account: OTHER } });
    assert.deepEqual(await names(made.resources), ['elsewhere']);
    const { body } = await made.send('GET', `/subscriptions/${OTHER}`);
    assert.deepEqual([body.subscriptionId, body.state], [OTHER, 'Enabled']);
  });

  it('a provider tells its types and their versions', async () => {
    await using made = await bench();
    const { network } = { network: await made.resources.providers.get('microsoft.network') };
    assert.equal(network.registrationState, 'Registered');
    const types = network.resourceTypes?.map(({ resourceType }) => resourceType);
    assert.ok(types?.includes('virtualNetworks') && types.includes('networkInterfaces'), String(types));
    assert.equal(
      outcome(await made.send('GET', `/subscriptions/${SUBSCRIPTION}/providers/Microsoft.Nothing`)),
      '404 InvalidResourceNamespace',
    );
  });
});

describe('an answer of ARM', () => {
  it('has its ids', async () => {
    await using made = await bench();
    const { headers } = await made.send('GET', GROUP);
    const id = headers.get('x-ms-request-id');
    assert.equal(id, made.sandbox.control.log.entries()[0]?.requestId);
    const correlation = headers.get('x-ms-correlation-request-id');
    assert.match(correlation ?? '', /^[0-9a-f-]{36}$/);
    assert.notEqual(correlation, id, 'one is the provider’s, one is ARM’s');
    const sent = await made.send('GET', GROUP, { headers: { 'x-ms-correlation-request-id': 'mine' } });
    assert.equal(sent.headers.get('x-ms-correlation-request-id'), 'mine');
  });
});

describe('resource groups', () => {
  it('are made, found in any case, tagged and deleted with all they hold', async () => {
    await using made = await bench();
    const { resources } = made;
    await made.send('PUT', `${NETWORK}/virtualNetworks/v`, { body: networkBody() });
    const again = await resources.resourceGroups.createOrUpdate('RG', { location: 'West Europe', tags: { a: 'b' } });
    assert.deepEqual([again.id, again.location, again.tags], [GROUP, 'westeurope', { a: 'b' }]);
    assert.equal((await resources.resourceGroups.get('rG')).id, GROUP);
    assert.equal((await resources.resourceGroups.checkExistence('rG')).body, true);
    await resources.resourceGroups.delete('rg');
    assert.equal((await resources.resourceGroups.checkExistence('rG')).body, false);
    await resources.resourceGroups.createOrUpdate('Rg', { location: LOCATION });
    assert.equal((await collect(made.network.virtualNetworks.listAll())).length, 0);
  });

  it('do not move to another location', async () => {
    await using made = await bench();
    const moved = await made.send('PUT', GROUP, { body: { location: 'eastus' } });
    assert.equal(outcome(moved), '409 InvalidResourceGroupLocation');
  });

  it('take time to go, and take nothing new meanwhile', async () => {
    await using made = await bench({ arm: { durations: { groupDelete: 3000 } } });
    const gone = await made.send('DELETE', GROUP);
    assert.deepEqual([gone.status, gone.headers.has('azure-asyncoperation')], [202, false]);
    const poll = (): Promise<string> => made.send('GET', gone.headers.get('location') ?? '').then(outcome);
    assert.equal((await made.send('GET', GROUP)).body.properties.provisioningState, 'Deleting');
    assert.equal(
      outcome(await made.send('PUT', GROUP, { body: { location: LOCATION } })),
      '409 ResourceGroupBeingDeleted',
    );
    const put = await made.send('PUT', `${NETWORK}/virtualNetworks/v`, { body: networkBody() });
    assert.equal(outcome(put), '409 ResourceGroupBeingDeleted');
    assert.equal(await poll(), '202');
    made.sandbox.control.clock.advance(3000);
    assert.equal(await poll(), '200');
    assert.equal(outcome(await made.send('GET', GROUP)), '404 ResourceGroupNotFound');
  });
});
