-- The class of alerts of each resource. The index serves the metric of what is not in sync.
ALTER TABLE setpoint.versions ADD COLUMN criticality text NOT NULL DEFAULT 'normal';
CREATE INDEX versions_not_in_sync ON setpoint.versions_now (cloud, status, criticality) WHERE status <> 'InSync';
