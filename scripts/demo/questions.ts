/** A question that one request answers; `shows`: texts that the answer must hold. */
export type Question = (
  | { readonly path: string }
  /** In SQL, where psql is there. */
  | { readonly sql: string }
) & { readonly asks: string; readonly shows: readonly RegExp[] };

/** `before`: when nothing differed yet. */
export const questions = ({ before }: { readonly before: string }): readonly Question[] => [
  {
    asks: 'What exists? Machines of ours on all clouds, one a line:',
    path: '/v1/inventory?kind=instance&claim=ours&format=csv',
    shows: [/aws\/111122223333\/eu-west-1\/instance\/web-0/, /gcp\//, /azure\//],
  },
  {
    asks: 'What differs, since when, why, and who changed it?',
    path: '/v1/inventory?status=Drifted,Paused,Missing&sort=-since',
    shows: [/"status": "Paused"/, /an incident is looked into/, /"since": "2/, /user\//],
  },
  {
    asks: 'And before? Nothing did:',
    path: `/v1/inventory?status=Drifted,Paused,Missing&asOf=${encodeURIComponent(before)}`,
    shows: [/"items": \[\]/],
  },
  {
    asks: 'The same for people with psql, under a role that can read this and nothing else:',
    sql: 'SELECT address, status, since, last_modified_by, last_modified_with FROM drift',
    shows: [/8082/, /AuthorizeSecurityGroupIngress/],
  },
  {
    asks: 'And as it was:',
    sql: `SELECT cloud, kind, status, count(*) FROM inventory_at('${before}') WHERE claim = 'ours' GROUP BY 1, 2, 3 ORDER BY 1, 2`,
    shows: [/InSync/],
  },
];
