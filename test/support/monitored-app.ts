import { DatabaseServer } from '../../src/infrastructure/database/index.js';
import { startTestApp, type TestApp } from './test-app.js';

/** A command as the service sends it to the database. */
export type Command = Record<string, unknown>;

/** @returns an app of whose commands the listener hears from its start on, beside one that has the store; both are to be closed */
export async function startMonitoredApp(
  hear: (name: string, command: Command) => void,
): Promise<{ test: TestApp; close(): Promise<void> }> {
  const store = await startTestApp();
  const { uri } = store.app.get(DatabaseServer);
  const MONGODB_URI = `${uri}${uri.includes('?') ? '&' : '?'}monitorCommands=true`;
  const test = await startTestApp({ beside: store, env: { MONGODB_URI } });
  test.database.getClient().on('commandStarted', ({ commandName, command }) => hear(commandName, command as Command));
  const close = async () => {
    await test.close();
    await store.close();
  };
  return { test, close };
}
