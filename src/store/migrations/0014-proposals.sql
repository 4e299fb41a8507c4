-- Plans that were asked for of the API, and who made what came into force.

-- `caller`: a hash or id of whose credential it was. `head`: what a list shows; `body`: the plan, and the specs it is of.
CREATE TABLE setpoint.proposals (
  id text PRIMARY KEY,
  estate text NOT NULL,
  caller text NOT NULL,
  number bigint GENERATED ALWAYS AS IDENTITY,
  until bigint NOT NULL,
  head json NOT NULL,
  body json NOT NULL
);
CREATE INDEX proposals_of_estate ON setpoint.proposals (estate, number);
CREATE INDEX proposals_until ON setpoint.proposals (until);

-- A move is to `revision` from generation `after`. `what`: `told`: its authors are known; `more`: not all of them; `name`: one.
CREATE TABLE setpoint.authors (
  estate text NOT NULL,
  revision text NOT NULL,
  after integer NOT NULL,
  what text NOT NULL CHECK (what IN ('told', 'more', 'name')),
  name text NOT NULL,
  PRIMARY KEY (estate, revision, after, what, name)
);
