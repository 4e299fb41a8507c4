-- How often something came to stand at an address: an approved creation is of one incarnation.
CREATE TABLE setpoint.incarnations (
  estate text NOT NULL,
  scope text NOT NULL,
  address text NOT NULL,
  number integer NOT NULL,
  PRIMARY KEY (estate, scope, address)
);
INSERT INTO setpoint.incarnations (estate, scope, address, number)
  SELECT estate, scope, address, count(*) FROM setpoint.claims GROUP BY estate, scope, address;

-- Kept by the claims themselves, so that a program of an earlier version counts too.
CREATE FUNCTION setpoint.count_claims() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO setpoint.incarnations AS known (estate, scope, address, number)
    SELECT estate, scope, address, count(*) FROM fresh GROUP BY estate, scope, address ORDER BY address
    ON CONFLICT (estate, scope, address) DO UPDATE SET number = known.number + excluded.number;
  RETURN NULL;
END
$$;
CREATE TRIGGER counts_claims AFTER INSERT ON setpoint.claims
  REFERENCING NEW TABLE AS fresh FOR EACH STATEMENT EXECUTE FUNCTION setpoint.count_claims();

CREATE FUNCTION setpoint.count_moved_claim() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO setpoint.incarnations AS known (estate, scope, address, number)
    VALUES (NEW.estate, NEW.scope, NEW.address, 1)
    ON CONFLICT (estate, scope, address) DO UPDATE SET number = known.number + 1;
  RETURN NULL;
END
$$;
CREATE TRIGGER counts_moved_claims AFTER UPDATE ON setpoint.claims
  FOR EACH ROW WHEN (OLD.address <> NEW.address) EXECUTE FUNCTION setpoint.count_moved_claim();

-- Intents that were let pass by an approval. `digest`: the action as it was approved; `halves`: the digests of what it is made of,
-- where it is more than one call; `verb`: of this intent; `done`: it went well.
CREATE TABLE setpoint.approved_intents (
  intent uuid PRIMARY KEY REFERENCES setpoint.intents (intent),
  estate text NOT NULL,
  seq bigint NOT NULL,
  digest text NOT NULL,
  halves json NOT NULL,
  verb text NOT NULL,
  done boolean NOT NULL DEFAULT false
);
CREATE INDEX approved_intents_by_approval ON setpoint.approved_intents (estate, seq);

CREATE TABLE setpoint.withdrawn_approvals (
  estate text NOT NULL,
  seq bigint NOT NULL,
  PRIMARY KEY (estate, seq)
);
CREATE TRIGGER raises_guard_epoch AFTER INSERT ON setpoint.withdrawn_approvals
  FOR EACH ROW EXECUTE FUNCTION setpoint.raise_guard_epoch();

-- A program of an earlier version would use an approval again and again: it reads `actions` in the body, and finds none there.
-- What is approved stands in `bound`, whoever gives it. By the text, whose first key it is: no operator reads a JSON that has a
-- NUL in what a person wrote.
ALTER TABLE setpoint.approvals ADD COLUMN bound json;
CREATE FUNCTION setpoint.bind_approval() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.bound IS NULL THEN
    NEW.bound := coalesce(substring(NEW.body::text from '^\{"actions":(\[[^]]*\])'), '[]')::json;
    NEW.body := regexp_replace(NEW.body::text, '^\{"actions":\[[^]]*\]', '{"actions":[]')::json;
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER binds_approval BEFORE INSERT ON setpoint.approvals
  FOR EACH ROW EXECUTE FUNCTION setpoint.bind_approval();
UPDATE setpoint.approvals SET
  bound = coalesce(substring(body::text from '^\{"actions":(\[[^]]*\])'), '[]')::json,
  body = regexp_replace(body::text, '^\{"actions":\[[^]]*\]', '{"actions":[]')::json;
