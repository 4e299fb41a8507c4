-- Of a happening: whose it is now, as JSON of targets and owner. Whoever may see what is of these is told another one instead.
ALTER TABLE setpoint.happenings ADD COLUMN not_to json;
