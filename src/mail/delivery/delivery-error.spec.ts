import { describe, expect, it } from 'vitest';
import { type DeliveryError, isRecipientRefused, isServerFailure } from './delivery-error.js';

/** As nodemailer gives it for a reply, or for none. */
function failed(code: string, command: string, response?: string): DeliveryError {
  const responseCode = response === undefined ? undefined : Number.parseInt(response, 10);
  return Object.assign(new Error('It failed'), { code, command, response, responseCode });
}

describe('A delivery that failed', () => {
  it.each<[code: string, command: string, response?: string]>([
    ['EAUTH', 'AUTH PLAIN', '535 5.7.8 Authentication credentials invalid'],
    ['EAUTH', 'API'],
    ['ETLS', 'STARTTLS', '454 4.7.0 TLS not available'],
    ['EPROTOCOL', 'HELO', '550 5.1.1 Not for you'],
    ['ECONNECTION', 'EHLO', '421 4.3.2 Shutting down'],
    ['EDNS', 'CONN'],
    ['ETIMEDOUT', 'CONN'],
    ['EENVELOPE', 'MAIL FROM', '452 4.3.1 Insufficient system storage'],
    ['EENVELOPE', 'MAIL FROM', '550 5.1.1 Unknown here'],
    ['EENVELOPE', 'RCPT TO', '421 4.7.0 Too many errors'],
    ['EENVELOPE', 'RCPT TO', '530 5.7.0 Must issue a STARTTLS command first'],
    ['EMESSAGE', 'DATA', '421 4.3.0 Closing'],
  ])('by the server itself spares it and refuses nobody (%s, %s, %s)', (code, command, response) => {
    const error = failed(code, command, response);
    expect(isServerFailure(error)).toBe(true);
    expect(isRecipientRefused(error)).toBe(false);
  });

  it.each<[code: string, command: string, response?: string]>([
    ['EENVELOPE', 'RCPT TO', '450 4.2.0 Greylisted'],
    ['EENVELOPE', 'RCPT TO', '451 5.1.1 Contradicts itself'],
    ['EENVELOPE', 'RCPT TO', '550 5.7.1 Relaying denied'],
    ['EENVELOPE', 'RCPT TO', '554 No'],
    ['EMESSAGE', 'DATA', '554 5.7.1 Rejected as spam'],
    ['EMESSAGE', 'DATA', '550 No'],
    ['ESTREAM', 'API'],
  ])('over one mail holds up no other, and it waits (%s, %s, %s)', (code, command, response) => {
    const error = failed(code, command, response);
    expect(isServerFailure(error)).toBe(false);
    expect(isRecipientRefused(error)).toBe(false);
  });

  it.each([
    ['RCPT TO', '550 5.1.1 User unknown'],
    ['RCPT TO', '556 5.1.10 Null MX'],
    ['RCPT TO', '550-5.2.1 Account disabled'],
    ['RCPT TO', '550 No such user'],
    ['RCPT TO', '553 No'],
    ['DATA', '550 5.1.1 User unknown'],
  ])('because of its recipient is final (%s, %s)', (command, response) => {
    const error = failed('EENVELOPE', command, response);
    expect(isServerFailure(error)).toBe(false);
    expect(isRecipientRefused(error)).toBe(true);
  });

  it('before it reached a server is no refusal', () => {
    expect(isServerFailure(new Error('A template is wrong'))).toBe(false);
    expect(isRecipientRefused(new Error('A template is wrong'))).toBe(false);
  });
});
