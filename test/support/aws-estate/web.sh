#!/bin/sh
# The first boot of a web server.
set -eu
echo "hello from $(hostname)" > /var/tmp/index.html
