const { app, BrowserWindow } = require('electron');

// As in the app: with --no-sandbox given, asking for the sandbox makes every page crash.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();

app.whenReady().then(async () => {
  const window = new BrowserWindow({ show: false });
  window.webContents.on('render-process-gone', (_event, details) => {
    process.stderr.write(`the page's process ended: ${details.reason}\n`);
    app.exit(1);
  });
  await window.loadURL('data:text/html,<p>ok');
  app.exit(0);
});
