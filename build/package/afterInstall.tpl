#!/bin/sh
set -e

ln -sf '/opt/${sanitizedProductName}/headroom' /usr/bin/headroom

# Chromium's sandbox needs user namespaces, or else its helper as setuid root.
if unshare --user true 2>/dev/null; then
  chmod 0755 '/opt/${sanitizedProductName}/chrome-sandbox'
else
  chmod 4755 '/opt/${sanitizedProductName}/chrome-sandbox'
fi

# Ubuntu 24.04 and newer allow user namespaces only to programs with a profile that says so; older versions of
# AppArmor do not know the profile, and do not need it.
profile='/opt/${sanitizedProductName}/resources/apparmor-profile'
if command -v apparmor_parser >/dev/null && apparmor_parser --skip-kernel-load --debug "$profile" >/dev/null 2>&1; then
  cp -f "$profile" '/etc/apparmor.d/${executable}'
  apparmor_parser --replace --write-cache --skip-read-cache '/etc/apparmor.d/${executable}' || true
fi

if command -v update-desktop-database >/dev/null; then
  update-desktop-database /usr/share/applications || true
fi
