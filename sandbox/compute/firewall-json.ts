import { linkTo } from './place.ts';
import type { Project } from './project.ts';
import type { Firewall, Json } from './records.ts';
import { resourceJson, shown } from './resource-json.ts';

export function firewallJson(project: Project, firewall: Firewall): Json {
  const { rule } = firewall;
  return shown({
    ...resourceJson(project, 'firewall', firewall),
    description: firewall.description ?? '',
    network: linkTo(project, firewall.network),
    priority: firewall.priority,
    direction: firewall.direction,
    [rule.action === 'allow' ? 'allowed' : 'denied']: rule.traffic.map(({ protocol, ports }) =>
      shown({ IPProtocol: protocol, ports }),
    ),
    sourceRanges: rule.sources.ranges,
    sourceTags: rule.sources.tags,
    sourceServiceAccounts: rule.sources.accounts,
    destinationRanges: rule.destinations,
    targetTags: rule.targets.tags,
    targetServiceAccounts: rule.targets.accounts,
    logConfig: firewall.log,
    disabled: firewall.disabled,
  });
}
