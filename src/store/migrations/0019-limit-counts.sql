-- Places are counted per period: a generation's number, or 0 for healing. The scope is part of what is counted: the same
-- subject in two scopes is two things. `expired`: a place of healing that is older than 24 h.
ALTER TABLE setpoint.places ADD COLUMN scope text;
UPDATE setpoint.places SET scope = intents.scope FROM setpoint.intents WHERE intents.intent = places.intent;
ALTER TABLE setpoint.places ALTER COLUMN scope SET NOT NULL;
ALTER TABLE setpoint.places ADD COLUMN period integer;
UPDATE setpoint.places SET period = CASE counts_by WHEN 'generation' THEN generation ELSE 0 END;
ALTER TABLE setpoint.places ALTER COLUMN period SET NOT NULL;
ALTER TABLE setpoint.places ADD COLUMN expired boolean NOT NULL DEFAULT false;

DROP INDEX setpoint.places_of_generation;
DROP INDEX setpoint.places_of_healing;
CREATE INDEX places_by_subject ON setpoint.places (estate, period, scope, counts_as, subject);
CREATE INDEX places_of_healing ON setpoint.places (estate, at) WHERE period = 0 AND NOT expired;

-- How many places a period of an estate has given out. Each is taken by one conditional update in the transaction of its intent,
-- so that scopes need no other lock in common.
CREATE TABLE setpoint.limit_counts (
  estate text NOT NULL,
  period integer NOT NULL,
  deletes integer NOT NULL DEFAULT 0 CHECK (deletes >= 0),
  replaces integer NOT NULL DEFAULT 0 CHECK (replaces >= 0),
  PRIMARY KEY (estate, period)
);
INSERT INTO setpoint.limit_counts (estate, period, deletes, replaces)
  SELECT estate, period, count(*) FILTER (WHERE counts_as = 'delete'), count(*) FILTER (WHERE counts_as = 'replace')
  FROM (SELECT DISTINCT estate, period, scope, counts_as, subject FROM setpoint.places) AS counted
  GROUP BY estate, period;
