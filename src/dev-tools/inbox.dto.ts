import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
import type { InboxMail } from './inbox-mail.schema.js';

export class InboxQueryDto {
  @ApiPropertyOptional({
    maxLength: 254,
    example: 'ada@example.com',
    description: 'Answers JSON: the mails to this address',
  })
  @MaxLength(254)
  @IsString()
  @IsOptional()
  to?: string;

  @ApiPropertyOptional({ maxLength: 254, description: 'Filters the page' })
  @MaxLength(254)
  @IsString()
  @IsOptional()
  address?: string;
}

export class InboxMailDto {
  @ApiProperty({ example: '66f2a1b3c4d5e6f708192a3b' })
  _id: string;

  @ApiProperty({ example: 'email-verification' })
  kind: string;

  @ApiProperty({ format: 'email', example: 'ada@example.com' })
  to: string;

  @ApiProperty({ example: 'Your confirmation code' })
  subject: string;

  @ApiProperty({ type: String, nullable: true, example: '482913', description: 'The code in the mail' })
  otp: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The reset token in the mail' })
  token: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The link in the mail' })
  link: string | null;

  @ApiProperty({ example: 'Your confirmation code is …' })
  text: string;

  @ApiProperty({ example: '<!doctype html>…' })
  html: string;

  @ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00.000Z' })
  sent_at: string;
}

export function toInboxMailDto(mail: InboxMail): InboxMailDto {
  const { kind, to, subject, otp, token, link, text, html } = mail;
  return {
    _id: mail._id.toHexString(),
    kind,
    to,
    subject,
    otp,
    token,
    link,
    text,
    html,
    sent_at: mail.sent_at.toISOString(),
  };
}
