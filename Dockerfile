# An image with evaluate and generate: docker build -t beameval .
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN make dist

FROM debian:stable-slim
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/
COPY --from=build /src/dist/linux/amd64/ /usr/local/bin/
USER nobody
ENTRYPOINT ["evaluate"]
