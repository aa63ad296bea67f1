//! The scratch page's language server: one of its own for each page, whose messages go over a WebSocket.
//!
//! The server keeps the page's text in memory. It is given no folder, so that it reads no file but what a page names, and it writes none.

use futures::{SinkExt, StreamExt, future};
use hyper::body::Incoming;
use hyper::upgrade::Upgraded;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::server::create_response_with_body;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use crate::lsp;
use crate::lsp::framing::{Frame, FrameReader, MAXIMUM_BODY_BYTES, write_frame};

/// Bytes between a page and its server before one of them waits for the other.
const BUFFER_BYTES: usize = 64 << 10;

/// The answer to a request for a WebSocket, which a language server is then behind; `None` where it is no such request.
pub(super) fn join_websocket(mut request: Request<Incoming>) -> Option<Response<()>> {
    let answer = create_response_with_body(&request, || ()).ok()?;
    let upgrade = hyper::upgrade::on(&mut request);
    tokio::spawn(async move {
        // A browser that goes away meanwhile needs no server.
        if let Ok(upgraded) = upgrade.await {
            let config = WebSocketConfig::default()
                .max_message_size(Some(MAXIMUM_BODY_BYTES))
                .max_frame_size(Some(MAXIMUM_BODY_BYTES));
            let io = TokioIo::new(upgraded);
            let socket = WebSocketStream::from_raw_socket(io, Role::Server, Some(config)).await;
            serve_page(socket).await;
        }
    });
    Some(answer)
}

/// Runs a language server for a page until the page is closed.
async fn serve_page(socket: WebSocketStream<TokioIo<Upgraded>>) {
    let (mut to_page, mut from_page) = socket.split();
    let (mut to_server, input) = tokio::io::duplex(BUFFER_BYTES);
    let (output, from_server) = tokio::io::duplex(BUFFER_BYTES);
    let reading = async move {
        while let Some(Ok(message)) = from_page.next().await {
            if let Message::Text(text) = message
                && write_frame(&mut to_server, text.as_bytes()).await.is_err()
            {
                break;
            }
        }
        // What is dropped here ends the server.
    };
    let writing = async move {
        let mut frames = FrameReader::new(from_server);
        while let Frame::Body(body) = frames.next().await {
            let text = String::from_utf8_lossy(&body).into_owned();
            if to_page.send(Message::text(text)).await.is_err() {
                break;
            }
        }
        let _ = to_page.close().await;
    };
    future::join3(reading, lsp::serve_streams(input, output), writing).await;
}
