import { readBody } from '../body.ts';
import { childMethods } from '../child-methods.ts';
import { refused } from '../errors.ts';
import { seenRecord } from '../kind.ts';
import { type Method, method } from '../method.ts';
import { numbered, page } from '../paging.ts';
import type { NetworkSecurityGroup, SecurityRule } from '../records.ts';
import { childPath, keyOf } from '../resource-id.ts';
import { checkRules, readRule, securityGroupKind } from '../security-group.ts';
import { defaultRules, ruleBody, ruleForm } from '../security-rule.ts';
import { pathOf } from '../tracked-methods.ts';

const DEFAULTS = `/resourceGroups/{group}/providers/Microsoft.Network/networkSecurityGroups/{name}/defaultSecurityRules`;

/** https://learn.microsoft.com/rest/api/virtualnetwork/security-rules and …/default-security-rules */
export const securityRuleMethods: readonly Method[] = [
  ...childMethods<NetworkSecurityGroup, SecurityRule>({
    parent: securityGroupKind,
    name: 'securityRules',
    body: (_, group) => (rule) => ruleBody(group, rule),
    read: (asked, group, name) => readRule(asked, group, name, readBody(asked.request.body, ruleForm)),
    set: {
      of: ({ rules }) => rules,
      with: (group, rules) => ({ ...group, rules }),
      check: checkRules,
    },
  }),
  method({
    verb: 'GET',
    path: DEFAULTS,
    action: 'defaultSecurityRules.list',
    answer: (asked) => {
      const group = seenRecord(asked, securityGroupKind, pathOf(asked, securityGroupKind));
      const render = (rule: SecurityRule) => ruleBody(group, rule, 'defaultSecurityRules');
      return page(asked, { kind: 'securityRules', items: numbered(defaultRules(group)), render });
    },
  }),
  method({
    verb: 'GET',
    path: `${DEFAULTS}/{child}`,
    action: 'defaultSecurityRules.get',
    answer: (asked) => {
      const group = seenRecord(asked, securityGroupKind, pathOf(asked, securityGroupKind));
      const path = childPath(group, 'defaultSecurityRules', asked.parameters.child);
      const rule = defaultRules(group).find(({ id }) => id === keyOf(path));
      if (!rule) throw refused('NotFound', `Resource ${path} not found.`, { details: [] });
      return { status: 200, body: ruleBody(group, rule, 'defaultSecurityRules') };
    },
  }),
];
