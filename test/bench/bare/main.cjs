// The least that an Electron app with one guarded window can be: what Headroom is compared with.
const { app, BrowserWindow } = require('electron');
const path = require('node:path');

if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
app.whenReady().then(() => {
  const window = new BrowserWindow({ width: 1280, height: 800, show: false, autoHideMenuBar: true });
  window.once('ready-to-show', () => window.show());
  window.loadFile(path.join(__dirname, 'index.html'));
});
