-- What a rewritten history was taken on after: a person's word is for that one move, and not for going back there later.
ALTER TABLE setpoint.accepted_histories ADD COLUMN after text NOT NULL DEFAULT '';
ALTER TABLE setpoint.accepted_histories DROP CONSTRAINT accepted_histories_pkey;
ALTER TABLE setpoint.accepted_histories ADD PRIMARY KEY (estate, head, after);
