-- Values of fields for a while, beside the specs. `body`: the document, the fields, and who gave them. Begin and end are in the
-- transaction that accepts the generation with or without them. `ended`: why, absent while it holds.
CREATE TABLE setpoint.patches (
  estate text NOT NULL,
  id integer NOT NULL,
  at bigint NOT NULL,
  until bigint NOT NULL,
  body json NOT NULL,
  ended_at bigint,
  ended json,
  PRIMARY KEY (estate, id)
);
CREATE INDEX patches_not_ended ON setpoint.patches (estate, until) WHERE ended_at IS NULL;
