@echo off
rem The headroom command: the app's own program as Node.
setlocal
set ELECTRON_RUN_AS_NODE=1
"%~dp0Headroom.exe" "%~dp0resources\app.asar\dist\cli.cjs" %*
