/** Sound documents, one of each kind with every field, to be spoiled. */
export const seeds: readonly string[] = [
  `apiVersion: setpoint.dev/v1
kind: Estate
metadata: { name: acme, owner: team }
spec:
  mode: plan
  limits: { deletes: 5, replaces: 5, share: 10% }
`,
  `apiVersion: setpoint.dev/v1
kind: Target
metadata: { name: aws-prod }
spec:
  provider: aws
  account: "111122223333"
  region: eu-west-1
  zone: eu-west-1a
  endpoint: http://127.0.0.1:4566
  credentials: { assumeRole: "arn:aws:iam::111122223333:role/setpoint" }
  mode: enforce
`,
  `apiVersion: setpoint.dev/v1
kind: Network
metadata:
  name: core
  owner: team-net
  labels: { env: prod, "cost centre": "12" }
  adopt: { aws-prod: vpc-0abc }
  was: [old]
spec:
  targets: [aws-prod, gcp-prod]
  cidr: 10.20.0.0/16
  internet: true
  default: { ingress: deny, egress: allow }
  rules: authoritative
  subnets:
    - { name: app, cidr: 10.20.1.0/24 }
    - name: db
      cidr: 10.20.2.0/24
      zone: eu-west-1a
      target: aws-prod
  protect: true
  deletionPolicy: retain
  ignore:
    - { field: labels.env, owner: x, reason: "y: z", until: 2027-01-31 }
`,
  `apiVersion: setpoint.dev/v1
kind: FirewallRule
metadata: { name: web-https }
spec:
  network: core
  targets: [aws-prod]
  direction: ingress
  action: allow
  protocol: tcp
  ports: [443, 8000-8100]
  group: web
  peers:
    cidrs: [0.0.0.0/0, "2001:db8::/32"]
    groups: [lb]
    prefixLists: [pl-0abc]
  priority: 1000
  description: >-
    public site,
    and more
  disabled: false
  log: false
`,
  `apiVersion: setpoint.dev/v1
kind: Instance
metadata: { name: web, labels: { tier: web } }
spec:
  targets: [aws-prod]
  replicas: 3
  network: core
  subnet: app
  groups: [web]
  image: ami-0abc1234
  size: t3.small
  disk: { size: 20, type: gp3, encrypted: true }
  access: { user: ops, sshKeys: ["ssh-ed25519 AAAA"], password: { env: SETPOINT_SECRET_LOGIN } }
  userData: { file: web.sh }
  identity: web-role
  publicIp: false
  power: running
  on: { aws-prod: { size: t3.medium, groups: [web, lb] } }
`,
  `{
  "$schema": "./schema.json",
  "apiVersion": "setpoint.dev/v1", "kind": "FirewallRule",
  "metadata": { "name": "dns", "labels": {} },
  "spec": { "network": "core", "protocol": 17, "ports": ["53"], "peers": { "any": true }, "icmp": null }
}
`,
];
