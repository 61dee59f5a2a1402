/** What tests of modules that extend the service are written with; docs/testing.md is the manual. */
export { ApiClient, type ApiResponse } from './api-client.js';
export { Inbox, type InboxEntry } from './inbox.js';
export { DAY, HOUR, ManualClock, MINUTE, SECOND } from './manual-clock.js';
export { newRegistration, PASSWORD, type Registration, type User, type Visitor } from './personas.js';
export { ServiceProcess } from './service-process.js';
export { API_KEY, startTestApp, type TestApp, type TestAppOptions } from './test-app.js';
