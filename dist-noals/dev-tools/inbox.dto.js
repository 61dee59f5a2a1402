var __decorate = (this && this.__decorate) || function (decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") r = Reflect.decorate(decorators, target, key, desc);
    else for (var i = decorators.length - 1; i >= 0; i--) if (d = decorators[i]) r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
    return c > 3 && r && Object.defineProperty(target, key, r), r;
};
var __metadata = (this && this.__metadata) || function (k, v) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") return Reflect.metadata(k, v);
};
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, MaxLength } from 'class-validator';
export class InboxQueryDto {
    to;
    address;
}
__decorate([
    ApiPropertyOptional({
        maxLength: 254,
        example: 'ada@example.com',
        description: 'Answers JSON: the mails to this address',
    }),
    MaxLength(254),
    IsString(),
    IsOptional(),
    __metadata("design:type", String)
], InboxQueryDto.prototype, "to", void 0);
__decorate([
    ApiPropertyOptional({ maxLength: 254, description: 'Filters the page' }),
    MaxLength(254),
    IsString(),
    IsOptional(),
    __metadata("design:type", String)
], InboxQueryDto.prototype, "address", void 0);
export class InboxMailDto {
    _id;
    kind;
    to;
    subject;
    otp;
    token;
    link;
    text;
    html;
    sent_at;
}
__decorate([
    ApiProperty({ example: '66f2a1b3c4d5e6f708192a3b' }),
    __metadata("design:type", String)
], InboxMailDto.prototype, "_id", void 0);
__decorate([
    ApiProperty({ example: 'email-verification' }),
    __metadata("design:type", String)
], InboxMailDto.prototype, "kind", void 0);
__decorate([
    ApiProperty({ format: 'email', example: 'ada@example.com' }),
    __metadata("design:type", String)
], InboxMailDto.prototype, "to", void 0);
__decorate([
    ApiProperty({ example: 'Your confirmation code' }),
    __metadata("design:type", String)
], InboxMailDto.prototype, "subject", void 0);
__decorate([
    ApiProperty({ type: String, nullable: true, example: '482913', description: 'The code in the mail' }),
    __metadata("design:type", Object)
], InboxMailDto.prototype, "otp", void 0);
__decorate([
    ApiProperty({ type: String, nullable: true, example: null, description: 'The reset token in the mail' }),
    __metadata("design:type", Object)
], InboxMailDto.prototype, "token", void 0);
__decorate([
    ApiProperty({ type: String, nullable: true, example: null, description: 'The link in the mail' }),
    __metadata("design:type", Object)
], InboxMailDto.prototype, "link", void 0);
__decorate([
    ApiProperty({ example: 'Your confirmation code is …' }),
    __metadata("design:type", String)
], InboxMailDto.prototype, "text", void 0);
__decorate([
    ApiProperty({ example: '<!doctype html>…' }),
    __metadata("design:type", String)
], InboxMailDto.prototype, "html", void 0);
__decorate([
    ApiProperty({ format: 'date-time', example: '2026-01-31T09:30:00.000Z' }),
    __metadata("design:type", String)
], InboxMailDto.prototype, "sent_at", void 0);
export function toInboxMailDto(mail) {
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
//# sourceMappingURL=inbox.dto.js.map